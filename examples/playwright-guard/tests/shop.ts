// A shop of one page, which writes in every way that a page can.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const PAGE = `<!doctype html>
<title>shop</title>
<button id="open">Open details</button>
<table>
  <tr><td>MUG-1</td><td><button id="theirs">Delete</button></td></tr>
  <tr><td>QA_T_mine</td><td><button id="own">Delete</button></td></tr>
</table>
<form action="/api/orders" method="post"><button id="order">Submit order</button></form>
<button id="icon"><i class="mdi mdi-trash-can"></i></button>
<button id="go">Go</button> <button id="beacon">Ping</button> <button id="popup">Help</button>
<div id="drag" draggable="true">Delete by dragging</div>
<x-shadow></x-shadow>
<p id="said"></p>
<script>
  const by = (id) => document.getElementById(id);
  const say = (text) => { by('said').textContent += text + ';'; };
  by('open').onclick = () => say('open');
  by('theirs').onpointerdown = () => say('pointer');
  by('theirs').onclick = () => say('theirs');
  by('own').onclick = () => say('own');
  by('icon').onclick = () => say('icon');
  by('drag').ondragstart = () => say('drag');
  by('go').onclick = () => fetch('/api/orders', { method: 'POST', body: 'x' }).then((r) => say('post' + r.status), () => say('stopped'));
  by('beacon').onclick = () => navigator.sendBeacon('/api/beacon', 'x');
  by('popup').onclick = () => window.open('/api/popup');
  customElements.define('x-shadow', class extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({ mode: 'open' }).innerHTML = '<button id=inside>Remove</button>';
      this.shadowRoot.getElementById('inside').onclick = () => say('shadow');
    }
  });
</script>`;

export async function shop() {
  /** What arrived, such as `POST /api/orders`. */
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const script = request.url?.endsWith('.js');
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    response.end(request.url === '/' ? PAGE : script ? "fetch('/api/from-worker', { method: 'POST' })" : 'ok');
  });
  // What came over an open socket, as bytes: a frame is masked, so only that there was one.
  server.on('upgrade', (request, socket) => {
    seen.push(`UPGRADE ${request.url}`);
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.on('data', (bytes: Buffer) => { if ((bytes[0] & 15) === 1) seen.push('FRAME'); });
    socket.on('error', () => {});
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/`, seen, stop: () => { server.closeAllConnections(); server.close(); } };
}
