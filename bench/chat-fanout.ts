/**
 * Bare server as the baseline of `npm run dev -- bench:chat` and `npm run dev -- bench:idle`. Writes each posted message to every
 * open stream and stores nothing.
 */
import { createServer, type ServerResponse } from 'node:http'

const streams = new Set<ServerResponse>()
let last = 0
const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\n')
    streams.add(response)
    response.once('close', () => streams.delete(response))
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { body } = JSON.parse(Buffer.concat(chunks).toString())
  last += 1
  const event = `id: ${last}\nevent: message\ndata: ${JSON.stringify({ id: last, body })}\n\n`
  for (const stream of streams) stream.write(event)
  response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
})
server.on('upgrade', (_request, socket) => {
  socket.on('error', () => {})
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'))
