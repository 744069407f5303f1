import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const NEWLINE = 10
/** The beginning of a request line, as far as the bytes that Node's parser refuses. */
const REQUEST_LINE = /^[A-Z]{3,10} \/[!-~]*$/

/** What is left of a connection when its parser has given up: raw bytes both ways. */
function release(socket: Socket): void {
  // The listeners of Node's parser, which would go on complaining of what follows.
  for (const event of ['data', 'end', 'drain', 'timeout', 'resume', 'pause']) socket.removeAllListeners(event)
}

/**
 * Writes the bytes beyond ASCII of a request line as `%XX`, chunk by chunk, and lets everything after it pass. Undefined
 * when they are not UTF-8. The request is the connection's last, so that what follows is never looked at again.
 */
function encoder(): (chunk: Buffer) => Buffer | undefined {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let inLine = true
  return (chunk) => {
    if (!inLine) return chunk
    const end = chunk.indexOf(NEWLINE)
    const line = end === -1 ? chunk : chunk.subarray(0, end + 1)
    try {
      utf8.decode(line, { stream: end === -1 })
    } catch {
      return undefined
    }
    const encoded = line
      .toString('latin1')
      .replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
    if (end === -1) return Buffer.from(encoded)
    inLine = false
    return Buffer.concat([Buffer.from(`${encoded}Connection: close\r\n`), chunk.subarray(end + 1)])
  }
}

/**
 * Older clients send Chinese in a URL as it is (`?q=中文`), which Node's parser refuses. This takes such a request
 * from the error it made and gives it to the server again with the bytes percent-encoded. False when it is
 * something else that the parser complained of.
 */
export function retryRawUrl(server: HttpServer, error: Error, socket: Socket): boolean {
  const {
    code,
    rawPacket: packet,
    bytesParsed = 0,
  } = error as {
    code?: string
    rawPacket?: Buffer
    bytesParsed?: number
  }
  // An answer that is still under way would be mixed with this one.
  const answering = '_httpMessage' in socket && socket._httpMessage !== null
  if (code !== 'HPE_INVALID_URL' || !packet || answering || !(packet[bytesParsed]! >= 0x80)) return false
  const start = packet.lastIndexOf(NEWLINE, bytesParsed) + 1
  if (!REQUEST_LINE.test(packet.toString('latin1', start, bytesParsed))) return false
  const encode = encoder()
  const first = encode(packet.subarray(start))
  if (!first) return false

  release(socket)
  const again = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, done),
    final: (done) => void socket.end(done),
    destroy(failure, done) {
      socket.destroy()
      done(failure)
    },
  })
  for (const name of ['remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort'] as const)
    Object.defineProperty(again, name, { value: socket[name] })
  socket.on('data', (chunk: Buffer) => {
    const encoded = encode(chunk)
    if (!encoded) socket.destroy()
    else if (!again.push(encoded)) socket.pause()
  })
  socket.on('end', () => void again.push(null))
  socket.on('close', () => void again.destroy())
  again.push(first)
  server.emit('connection', again)
  return true
}
