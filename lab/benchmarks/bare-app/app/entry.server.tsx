export default function handleRequest() {
  return new Response(null);
}
