import { Button, type ButtonProps } from '@mui/material'
import { useRef } from 'react'

/** Button that opens the file chooser. A label styled as a button would have a forbidden ARIA role. */
export function FileButton({
  accept,
  choose,
  ...props
}: Omit<ButtonProps, 'onClick'> & { accept: string; choose(file: File | undefined): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="outlined" {...props} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        onChange={(event) => {
          choose(event.target.files?.[0])
          // Lets the user choose the same file again after an error.
          event.target.value = ''
        }}
      />
    </>
  )
}
