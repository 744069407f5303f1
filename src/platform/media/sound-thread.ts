import { parentPort, workerData } from 'node:worker_threads'
import { parseBuffer } from 'music-metadata'

// A thread that is terminated on timeout, because a crafted file can keep the parser busy for minutes.
const { bytes, mime } = workerData as { bytes: Uint8Array; mime: string }
const { format } = await parseBuffer(
  bytes,
  { mimeType: mime, size: bytes.length },
  { duration: true, skipCovers: true },
)
parentPort?.postMessage(format.duration ?? 0)
