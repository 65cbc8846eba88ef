// What lies in data/db.json: how many posts, and the one with this id. json-server answers before it has written, so
// this waits until the file has been left alone for a while; it does not know what is expected of it.
const fs = require("fs");

const FILE = "data/db.json";
const QUIET_MS = 500;
const TURN_MS = 50;

const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
for (let turns = 100; turns > 0 && Date.now() - fs.statSync(FILE).mtimeMs < QUIET_MS; turns -= 1) pause(TURN_MS);

const id = process.argv[2];
const posts = JSON.parse(fs.readFileSync(FILE, "utf8")).posts;
const post = posts.find((post) => String(post.id) === id);
console.log(JSON.stringify({ count: posts.length, post }));
