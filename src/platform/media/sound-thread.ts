import { parentPort, workerData } from 'node:worker_threads'
import { parseBuffer } from 'music-metadata'

// Runs in a thread, which the server can terminate when a crafted file keeps the parser busy for minutes.
const { bytes, mime } = workerData as { bytes: Uint8Array; mime: string }
const { format } = await parseBuffer(
  bytes,
  { mimeType: mime, size: bytes.length },
  { duration: true, skipCovers: true },
)
parentPort?.postMessage(format.duration ?? 0)
