import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef } from 'preact/hooks'

/**
 * A button that opens a list of actions. The browser closes the list on Escape and on a click outside, and returns
 * the focus to the button.
 */
export function Menu({
  label,
  button,
  class: name = 'icon-button',
  isFixed,
  onOpen,
  children,
}: {
  label?: string
  button: ComponentChildren
  class?: string
  /** True if the button stays on screen while the page scrolls. */
  isFixed?: boolean
  onOpen?(): void
  children: ComponentChildren
}) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const place = ({ currentTarget: { style }, newState }: JSX.TargetedToggleEvent<HTMLDivElement>) => {
    if (newState !== 'open' || !opener.current) return
    onOpen?.()
    const { top, right, bottom, left } = opener.current.getBoundingClientRect()
    const { clientWidth, clientHeight } = document.documentElement
    const scrolled = isFixed ? 0 : scrollY
    const [isLow, isLeft] = [bottom > clientHeight * 0.6, left + right < clientWidth]
    style.position = isFixed ? 'fixed' : 'absolute'
    style.inset = [
      isLow ? 'auto' : `${bottom + scrolled}px`,
      isLeft ? 'auto' : `${clientWidth - right}px`,
      isLow ? `${clientHeight - top - scrolled}px` : 'auto',
      isLeft ? `${left}px` : 'auto',
    ].join(' ')
  }
  return (
    <>
      <button type="button" class={name} aria-label={label} popovertarget={id} ref={opener}>
        {button}
      </button>
      <div
        id={id}
        class="popover"
        popover="auto"
        onBeforeToggle={place}
        // Closes first, so that a dialog of the action returns the focus to the button that opened the menu.
        onClickCapture={({ currentTarget, target }) => {
          if ((target as Element).closest('a, button')) currentTarget.hidePopover()
        }}
      >
        {children}
      </div>
    </>
  )
}
