/**
 * True for keys that an input method uses, such as Enter to choose a Chinese word. Safari ends the composition before
 * the event and marks the key with the code 229 only.
 */
export const isComposing = ({ isComposing: isOpen, keyCode }: KeyboardEvent): boolean =>
  isOpen || keyCode === 229
