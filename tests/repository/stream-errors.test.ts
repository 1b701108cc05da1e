/**
 * An emitter of Node that emits "error" without a listener ends the process. This test reads all code that runs in Node. It finds what
 * creates streams, servers, sockets, connections, processes and threads, and looks for whoever hears of their errors.
 */
import ts from "typescript";
import { expect, it } from "vitest";
import { listFiles, textOf } from "./files";

const classes = new Set([
  ..."Pool Client Worker Server Socket TLSSocket WebSocket EventEmitter".split(" "),
  ..."Readable Writable Duplex Transform PassThrough ReadStream WriteStream".split(" "),
]);
/** Functions and methods that return an emitter. */
const functions = new Set([
  ..."createReadStream createWriteStream readLines createInterface".split(" "),
  ..."createServer createSecureServer createConnection createSocket".split(" "),
  ..."createGzip createGunzip createDeflate createInflate createUnzip createBrotliCompress createBrotliDecompress".split(
    " ",
  ),
  // Ours.
  ..."createSocketWithTimeout startPrisma".split(" "),
]);
/** Only as functions: many things have methods with these names. */
const bareFunctions = new Set("connect spawn fork exec execFile watch".split(" "));
/** Methods of emitters that return the emitter. */
const returnsItself = new Set("on once listen end setEncoding setNoDelay setTimeout ref unref".split(" "));
/** What is handed to these has a listener. */
const handlers = new Set([
  ..."pipeline finished createReadableStreamFromReadable".split(" "),
  // Ours.
  ..."copyToUnnamedFile listen pipeTo readCsvJobs readFileStatus readJobs writeAndDigest".split(" "),
]);

/** Who hears of the errors of what is created here, where this test cannot see it. By file and code. */
const exceptions = {
  "app/providers/database.server.ts: createSocketWithTimeout(limits.silenceMs)":
    "pg listens once it connects",
  "app/providers/database.server.ts: new Socket()": "it is returned to the line above",
  'prisma/prisma-cli.ts: spawn(process.execPath, [cli, ...args, "--config", "prisma/prisma.conf':
    "it is returned to callers of startPrisma, which this test looks at",
};

const isNodeCode = (path: string) =>
  /^app\/(server\.ts|entry\.server\.tsx|.+\.server\.tsx?|(commands|doctor)\/.+\.ts)$/.test(path) ||
  /^(local|prisma|embed-element)\/.+\.m?ts$|^local\/.+\.mjs$/.test(path);
const files = listFiles().filter(
  (path) =>
    isNodeCode(path) &&
    !/\.test\.|\.d\.ts$|^local\/demo\/assets\/|^embed-element\/src\/(?!server\/)/.test(path),
);

function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : "";
}

/** All nodes below a node, and itself. */
function nodesOf(node: ts.Node): ts.Node[] {
  const nodes = [node];
  // The loop also visits what it adds.
  for (const next of nodes) ts.forEachChild(next, (child) => void nodes.push(child));
  return nodes;
}

/** Local names of `request` and `get` of node:http and node:https, as in `const { request: open } = https`. */
function requestNames(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const node of nodesOf(file))
    if (
      (ts.isBindingElement(node) || ts.isImportSpecifier(node)) &&
      /^(request|get)$/.test(node.propertyName?.getText() ?? "")
    )
      names.add(node.name.getText());
  return names;
}

function createsEmitter(node: ts.Node, requests: Set<string>): node is ts.CallExpression | ts.NewExpression {
  if (ts.isNewExpression(node)) return classes.has(nameOf(node.expression));
  if (!ts.isCallExpression(node)) return false;
  const name = nameOf(node.expression);
  if (ts.isIdentifier(node.expression) && (bareFunctions.has(name) || requests.has(name))) return true;
  return functions.has(name) || /^https?\.(request|get)$/.test(node.expression.getText());
}

const isErrorListener = (call: ts.Node) =>
  ts.isCallExpression(call) &&
  /^(on|once|addListener)$/.test(nameOf(call.expression)) &&
  /^["']error["']$/.test(call.arguments[0]?.getText() ?? "");

/** Whether a node, or the emitter that it stands for, is used in a way that hears of errors. */
function isHeard(node: ts.Node): boolean {
  const { parent } = node;
  if (
    ts.isParenthesizedExpression(parent) ||
    ts.isConditionalExpression(parent) ||
    ts.isNonNullExpression(parent)
  )
    return isHeard(parent);
  // A function's promise rejects.
  if (ts.isAwaitExpression(parent)) return true;
  if (ts.isForOfStatement(parent)) return parent.awaitModifier !== undefined;
  if (ts.isYieldExpression(parent)) return parent.asteriskToken !== undefined;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node) {
    const { name, parent: call } = parent;
    if (/^(then|catch|finally|iterator)$/.test(name.text) || isErrorListener(call)) return true;
    return returnsItself.has(name.text) && isHeard(call);
  }
  if (ts.isCallExpression(parent) && node !== parent.expression)
    return handlers.has(nameOf(parent.expression));
  if (ts.isArrowFunction(parent)) return isHeard(parent);
  if (ts.isVariableDeclaration(parent) && parent.initializer === node) {
    let scope: ts.Node = parent;
    while (!ts.isSourceFile(scope) && !(ts.isBlock(scope) && ts.isFunctionLike(scope.parent)))
      scope = scope.parent;
    return isHeardAs(parent.name, scope);
  }
  if (ts.isBinaryExpression(parent) && parent.right === node)
    return isHeardAs(parent.left, node.getSourceFile());
  return false;
}

/** Whether what has a name is heard of in another place of `scope`. */
function isHeardAs(name: ts.Node, scope: ts.Node): boolean {
  return nodesOf(scope).some(
    (other) =>
      other !== name &&
      other.kind === name.kind &&
      other.getText() === name.getText() &&
      !ts.isBinaryExpression(other.parent) &&
      !ts.isVariableDeclaration(other.parent) &&
      isHeard(other),
  );
}

/** File and code of every emitter whose errors nobody hears of. */
function unheardIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const requests = requestNames(file);
  return nodesOf(file)
    .filter((node) => createsEmitter(node, requests) && !isHeard(node))
    .map((node) => `${path}: ${node.getText().replace(/\s+/g, " ").slice(0, 70)}`);
}

it("somebody hears of the errors of every stream, server, socket, connection and process", () => {
  expect(files.length).toBeGreaterThan(300);
  const unheard = files.flatMap((path) => unheardIn(path, textOf(path)));
  expect(unheard.sort()).toEqual(Object.keys(exceptions).sort());
});

it.each([
  ["createReadStream(path).pipe(response);", 1],
  ["const stream = createWriteStream(path); stream.write(text); await once(stream, 'finish');", 1],
  ["const pool = new pg.Pool({ max: 1 }); await pool.query(text);", 1],
  ["const child = spawn('ls', []); child.on('exit', done);", 1],
  ["const server = createServer(respond).listen(0); await once(server, 'listening');", 1],
  ["const { request: open } = https; open(url, {}).end();", 1],
  [
    "function a() { const client = new Client(); client.on('error', say); } function b() { const client = new Client(); }",
    1,
  ],
  ["await pipeline(text, createWriteStream(path));", 0],
  ["for await (const chunk of createReadStream(path)) add(chunk);", 0],
  ["this.socket = connect(443); this.socket.setNoDelay().on('error', fail);", 0],
  ["const server = createServer(respond).listen(0); server.on('error', say);", 0],
  ["await client.connect(); const [match] = /a/.exec(text);", 0],
])("it takes a file with “%s” for one with %i that nobody hears of", (text, count) => {
  expect(unheardIn("app/sample.server.ts", text)).toHaveLength(count);
});

it("the process's own output is used where its errors are heard of", () => {
  expect(files.filter((path) => /\bprocess\.std(out|err)\b/.test(textOf(path))).sort()).toEqual([
    "app/commands/run-command.ts",
    "app/shared/log.server.ts",
    "embed-element/doctor/cli.ts",
    "local/dev.ts",
    // It has nothing more to do.
    "prisma/generate.ts",
  ]);
});
