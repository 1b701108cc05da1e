import { data, Form, redirect } from "react-router";
import { commitSession, currentUser, getSession } from "../session.server";
import { users } from "../users.server";
import type { Route } from "./+types/sign-in";

export async function loader({ request }: Route.LoaderArgs) {
  if (await currentUser(request)) throw redirect("/");
  return users.map(({ id, name, isAdmin }) => ({ id, name, isAdmin }));
}

/** A stand-in for your own sign-in, which checks a password or asks your identity provider. */
export async function action({ request }: Route.ActionArgs) {
  const userId = (await request.formData()).get("userId");
  const user = users.find(({ id }) => id === userId);
  if (!user) throw data("There is no such user.", { status: 400 });
  const session = await getSession();
  session.set("userId", user.id);
  return redirect("/", { headers: { "Set-Cookie": await commitSession(session) } });
}

export default function SignIn({ loaderData }: Route.ComponentProps) {
  return (
    <main className="sign-in">
      <h1>Sign in</h1>
      <Form method="post">
        {loaderData.map(({ id, name, isAdmin }) => (
          <button type="submit" key={id} name="userId" value={id}>
            {`Sign in as ${name}`}
            <small>{isAdmin ? "admin, may change files" : "may only read"}</small>
          </button>
        ))}
      </Form>
    </main>
  );
}
