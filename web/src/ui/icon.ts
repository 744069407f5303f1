import { type ComponentProps, h } from 'preact'

type Shape = [name: string, attributes: Record<string, string>]
type IconProps = ComponentProps<'svg'> & { size?: number }

/**
 * Replaces the library's `createLucideIcon` (build.mjs). The site needs none of its options, which took a tenth of the
 * time to render a page, and its attributes were a fifth of the page. base.css has the strokes.
 */
export default ({ node }: { node: Shape[] }) =>
  ({ size = 24, ...props }: IconProps) =>
    h(
      'svg',
      { class: 'icon', width: size, height: size, viewBox: '0 0 24 24', ...props },
      node.map(([name, attributes]) => h(name, attributes)),
    )
