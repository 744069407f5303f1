import { parentPort, workerData } from 'node:worker_threads'
import { parseBuffer } from 'music-metadata'

// Runs in a thread, so that the server can stop the parser. A crafted file could keep the parser busy for minutes.
const { bytes, mime } = workerData as { bytes: Uint8Array; mime: string }
const { format } = await parseBuffer(
  bytes,
  { mimeType: mime, size: bytes.length },
  { duration: true, skipCovers: true },
)
parentPort?.postMessage(format.duration ?? 0)
