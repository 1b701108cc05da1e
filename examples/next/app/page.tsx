import { currentUser } from "../lib/session";
import { users } from "../lib/users";
import { signIn } from "./actions";
import { Files } from "./files";

export default async function Page() {
  const user = await currentUser();
  if (user) return <Files name={user.name} />;
  return (
    <main className="sign-in">
      <h1>Sign in</h1>
      <form action={signIn}>
        {users.map(({ id, name, isAdmin }) => (
          <button type="submit" key={id} name="userId" value={id}>
            {`Sign in as ${name}`}
            <small>{isAdmin ? "admin, may change files" : "may only read"}</small>
          </button>
        ))}
      </form>
    </main>
  );
}
