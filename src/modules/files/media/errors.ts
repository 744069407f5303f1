export type MediaFault = 'too_large' | 'broken' | 'busy'

export class MediaError extends Error {
  readonly fault: MediaFault

  constructor(fault: MediaFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MediaError'
    this.fault = fault
  }
}
