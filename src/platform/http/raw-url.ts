import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const NEWLINE = 10
/** Start of a request line, up to the bytes that Node's parser rejects. */
const REQUEST_LINE = /^[A-Z]{3,10} \/[!-~]*$/

/** The socket of a connection after a parser error: raw bytes both ways. */
function release(socket: Socket): void {
  // The listeners of Node's parser, which would report errors for the following bytes.
  for (const event of ['data', 'end', 'drain', 'timeout', 'resume', 'pause']) socket.removeAllListeners(event)
}

/**
 * Percent-encodes the non-ASCII bytes of a request line, chunk by chunk, and passes on everything after it.
 * Undefined when they are not UTF-8. The request is the connection's last, so the following bytes are never
 * parsed again.
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
 * Accepts raw Chinese in a URL (`?q=中文`) from older clients, which Node's parser rejects. Takes the request
 * from the parser's error and feeds it to the server again, percent-encoded. False for any other parser
 * error.
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
  // A reply under way would mix with this one.
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
