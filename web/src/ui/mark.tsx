/** Logo of Kith. Classes set the colors, because the page's policy forbids inline styles. */
export const Mark = ({ size = 32 }: { size?: number }) => (
  <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <circle class="mark-one" cx="11.5" cy="16" r="8.5" />
    <circle class="mark-two" cx="20.5" cy="16" r="8.5" />
    <path class="mark-both" d="M16 8.8a8.5 8.5 0 0 1 0 14.4 8.5 8.5 0 0 1 0-14.4z" />
  </svg>
)
