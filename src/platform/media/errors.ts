export type MediaFault = 'too_large' | 'broken' | 'busy'

/** Thrown for a picture with too many pixels, a picture that does not decode, and a full or slow queue. */
export class MediaError extends Error {
  readonly fault: MediaFault

  constructor(fault: MediaFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MediaError'
    this.fault = fault
  }
}
