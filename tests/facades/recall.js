// A façade for recall and recall_search (recall.md), in JavaScript, without any dependency; the blocks come from Go.
//
//   node recall.js pipe [MISTAKE…]         calls as JSON lines; Go is at $LOKI_PARITY_GO
//   node recall.js http PORT GO [MISTAKE…] calls at POST /internal/v1/tool/exec; Go is at the URL GO
//
// Right as it stands. A mistake is one line that JavaScript invites, in the place of the right one.
"use strict";

const http = require("node:http");
const readline = require("node:readline");

const MISTAKES = [
  "to-lower-case", "trim", "split-space", "utf16-snippet", "byte-words", "parse-int-id", "number-id", "parse-int-limit",
  "or-default-limit", "round-limit", "infinite-limit", "json-quote", "template-quote", "lone-surrogates", "text-decoder",
  "word-class", "ignore-case", "sort-as-text", "sort-by-score", "number-seq", "trim-end", "coerced-id", "coerced-query",
  "strip-every-r", "unicode-of-node",
];

const [form, ...rest] = process.argv.slice(2);
const [port, go] = form === "http" ? rest.splice(0, 2) : [0, process.env.LOKI_PARITY_GO];
const mistakes = new Set(rest);
for (const one of mistakes) {
  if (!MISTAKES.includes(one)) {
    throw new Error(`no mistake is called ${one}: choose from ${MISTAKES.join(", ")}`);
  }
}
const wrong = (name) => mistakes.has(name);

// ---- Go's text (go-semantics.md)

const SPACE = "\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const AROUND = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");
const BETWEEN = new RegExp(`[${SPACE}]+`, "u");

const trimSpace = (text) => (wrong("trim") ? text.trim() : text.replace(AROUND, ""));
const fields = (text) => text.split(wrong("split-space") ? /\s+/u : BETWEEN).filter((word) => word !== "");

// One rune to one rune; U+0130 is the only one that JavaScript lowers to two.
const lowerRune = (rune) => (rune === "\u0130" ? "i" : rune.toLowerCase());
const toLower = (text) => (wrong("to-lower-case") ? text.toLowerCase() : Array.from(text, lowerRune).join(""));

// What Go 1.25 prints is what Unicode 15.0 knows; this Node may know more.
const { is_print: PRINTED } = require("../vectors/tables-go1.25.json");
const knownToNode = (rune) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(rune);
const knownToGo = (code) => PRINTED.some(([first, last]) => first <= code && code <= last);
const printed = (rune) => (wrong("unicode-of-node") ? knownToNode(rune) : knownToGo(rune.codePointAt(0)));
const SHORT = { "\x07": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"' };
const hex = (number, width) => number.toString(16).padStart(width, "0");
function quoteRune(rune) {
  const code = rune.codePointAt(0);
  if (rune in SHORT) return SHORT[rune];
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (printed(rune)) return rune;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}
function quote(text) {
  if (wrong("json-quote")) return JSON.stringify(text);
  if (wrong("template-quote")) return `"${text}"`;
  return `"${Array.from(text, quoteRune).join("")}"`;
}

// ---- Go's JSON: bytes that are not UTF-8 are U+FFFD one by one, half of a pair is U+FFFD, 1e400 is nothing

function decoded(bytes) {
  if (wrong("text-decoder")) return new TextDecoder("utf-8").decode(bytes);
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return strict.decode(bytes);
  } catch {
    const pieces = [];
    for (let at = 0; at < bytes.length; ) {
      const first = bytes[at];
      const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
      let piece = "\ufffd";
      try {
        piece = strict.decode(bytes.subarray(at, at + length));
        at += length;
      } catch {
        at += 1;
      }
      pieces.push(piece);
    }
    return pieces.join("");
  }
}

function cleaned(key, value) {
  if (typeof value === "string" && !wrong("lone-surrogates")) return value.toWellFormed();
  if (typeof value === "number" && !Number.isFinite(value) && !wrong("infinite-limit")) return null;
  return value;
}
const parsed = (bytes) => JSON.parse(decoded(bytes), cleaned);

// ---- the archive, which stays in Go

const agent = new http.Agent({ keepAlive: true });
function read(target) {
  return new Promise((resolve, reject) => {
    const request = http.get(`${go}${target}`, { agent }, (answer) => {
      const pieces = [];
      answer.on("data", (piece) => pieces.push(piece));
      answer.on("end", () => resolve([answer.statusCode, Buffer.concat(pieces)]));
      answer.on("error", reject);
    });
    request.on("error", reject);
  });
}

// A seq is an integer below 2^64, which no number of JavaScript holds. A quote inside a text has a backslash before it.
function blocksOf(bytes) {
  const text = decoded(bytes);
  return JSON.parse(text.replace(/([{,])"seq":([0-9]+)/g, '$1"seq":"$2"'));
}
const seqOf = (block) => (wrong("number-seq") ? Number(block.seq) : BigInt(block.seq));

async function block(seq) {
  const [status, body] = await read(`/internal/v1/recall/block?seq=${seq}`);
  return status === 404 ? null : JSON.parse(decoded(body));
}
async function blocks() {
  const [, body] = await read("/internal/v1/recall/blocks");
  return blocksOf(body);
}

// ---- recall(id)

function seqIn(id) {
  let text = trimSpace(id);
  text = wrong("strip-every-r") ? text.replace(/^r+/i, "") : text.replace(/^r/, "").replace(/^R/, "");
  text = trimSpace(text);
  if (wrong("parse-int-id")) {
    const number = parseInt(text, 10);
    return Number.isNaN(number) || number < 0 ? null : String(number);
  }
  if (wrong("number-id")) {
    const number = Number(text);
    return text === "" || !Number.isInteger(number) || number < 0 ? null : String(number);
  }
  if (!/^[0-9]+$/.test(text)) return null;
  const seq = BigInt(text);
  return seq < 1n << 64n ? String(seq) : null;
}

async function recall(args) {
  const id = wrong("coerced-id") && args.id ? String(args.id) : args.id;
  if (typeof id !== "string" || trimSpace(id) === "") return "[erreur] id manquant";
  const seq = seqIn(id);
  const found = seq === null ? null : await block(seq);
  if (found === null) {
    return `[erreur] bloc ${quote(id)} introuvable — vérifie l'id, ou utilise recall_search pour le retrouver par mots-clés`;
  }
  return `[${found.id} — ${found.label}, rappelé verbatim]\n${found.content}`;
}

// ---- recall_search(query, limit)

function keywords(query) {
  let words;
  if (wrong("word-class")) words = toLower(query).match(/\w+/g) ?? [];
  else if (wrong("ignore-case")) words = (query.match(/[a-z0-9à-ÿ]+/gi) ?? []).map(toLower);
  else words = toLower(query).match(/[a-z0-9\u00e0-\u00ff]+/g) ?? [];
  // All of these characters are one unit of UTF-16 each.
  const length = wrong("byte-words") ? Buffer.byteLength : (word) => word.length;
  return [...new Set(words.filter((word) => length(word) >= 2))];
}

function limitOf(limit) {
  if (wrong("parse-int-limit")) {
    const number = parseInt(limit, 10);
    return Number.isNaN(number) || number <= 0 ? 5 : Math.min(number, 20);
  }
  if (wrong("or-default-limit")) return Math.min(Math.trunc(Number(limit)) || 5, 20);
  if (typeof limit !== "number") return 5;
  // Out of range Go's int(float64) is the least integer there is, on amd64.
  const whole = wrong("round-limit") ? Math.round(limit) : Math.trunc(limit);
  if (whole <= 0 || (whole >= 2 ** 63 && !wrong("infinite-limit"))) return 5;
  return Math.min(whole, 20);
}

function score(found, words) {
  const label = toLower(found.label);
  const content = toLower(found.content);
  return words.reduce((sum, word) => sum + (label.includes(word) ? 2 : 0) + (content.includes(word) ? 1 : 0), 0);
}

function later(one, other) {
  if (wrong("sort-as-text")) return String(one.seq) < String(other.seq) ? 1 : -1;
  if (wrong("sort-by-score")) return 0;
  const [first, second] = [seqOf(one), seqOf(other)];
  return first < second ? 1 : first > second ? -1 : 0;
}

function snippet(content) {
  const text = fields(content).join(" ");
  const runes = wrong("utf16-snippet") ? text.split("") : Array.from(text);
  return runes.length <= 160 ? text : `${trimSpace(runes.slice(0, 160).join(""))}…`;
}

async function search(args) {
  const query = wrong("coerced-query") && args.query ? String(args.query) : args.query;
  if (typeof query !== "string" || trimSpace(query) === "") return "[erreur] query manquante";
  const words = keywords(query);
  const scored = words.length === 0 ? [] : (await blocks()).map((one) => [score(one, words), one]);
  const hits = scored.filter(([points]) => points > 0);
  hits.sort(([points, one], [others, other]) => others - points || later(one, other));
  const shown = hits.slice(0, limitOf(args.limit)).map(([, one]) => `- ${one.id} — ${one.label}\n  ${snippet(one.content)}\n`);
  if (shown.length === 0) return "[aucun bloc archivé ne correspond]";
  const whole = `Blocs trouvés (rappelle le bon avec recall(id)) :\n${shown.join("")}`;
  return wrong("trim-end") ? whole.trimEnd() : whole.replace(/\n+$/, "");
}

// ---- who is asked

const TOOLS = { recall, recall_search: search };
async function run(name, args) {
  const given = args !== null && typeof args === "object" && !Array.isArray(args) ? args : {};
  const result = await TOOLS[name](given);
  return { result, label: "", diff: [] };
}

async function pipe() {
  process.stdin.setEncoding("latin1"); // bytes, one character each
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const call = parsed(Buffer.from(line, "latin1"));
    let answer;
    if (call.tool === "parity/hello") answer = { result: { can: ["exec", "reads"] } };
    else if (call.tool in TOOLS) answer = await run(call.tool, call.args);
    else answer = { error: `no tool is called ${call.tool}` };
    process.stdout.write(`${JSON.stringify({ id: call.id, ...answer })}\n`);
  }
  agent.destroy();
}

function serve() {
  const server = http.createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", async () => {
      const known = request.method === "POST" && request.url === "/internal/v1/tool/exec";
      const call = known ? parsed(Buffer.concat(pieces)) : {};
      const found = known && call.name in TOOLS;
      const body = JSON.stringify(found ? await run(call.name, call.args) : { error: "no such route or tool" });
      response.writeHead(found ? 200 : 404, { "content-type": "application/json", server: "loki-parity" });
      response.end(body);
    });
  });
  server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
}

if (form === "http") serve();
else if (form === "pipe") pipe();
else throw new Error("expected pipe or http");
