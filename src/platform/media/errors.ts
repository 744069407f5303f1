export type MediaFault = 'too_large' | 'broken' | 'busy'

/** Thrown for a picture with too many pixels, one that does not decode, or when too many wait for their turn. */
export class MediaError extends Error {
  readonly fault: MediaFault

  constructor(fault: MediaFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MediaError'
    this.fault = fault
  }
}
