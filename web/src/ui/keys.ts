/**
 * True for keys that an input method uses, such as Enter to choose a Chinese word. Safari ends the composition before
 * the event and marks the key with the code 229 only.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229

/** True on phones, where Enter makes a new line, because their keyboards have no Shift+Enter. */
export const isByTouch = (): boolean => matchMedia('(pointer: coarse)').matches
