import { Box } from '@mui/material'
import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useEffect, useRef } from 'react'
import { fileAddress } from '../api/upload.ts'

/** Renders Markdown as readers see it, without scripts and external pictures. */
export function Markdown({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!box.current) return
    const source = text.replace(
      /@!\[([^\]]*)\]\((\d+)\)/g,
      (_, name: string, id: string) => `![${name}](#upload-${id})`,
    )
    const html = DOMPurify.sanitize(marked.parse(source, { async: false }), {
      FORBID_TAGS: ['style', 'form', 'input', 'iframe'],
      FORBID_ATTR: ['style', 'srcset'],
    })
    const template = document.createElement('template')
    template.innerHTML = html
    for (const image of template.content.querySelectorAll('img')) {
      const [, id] = /^#upload-(\d+)$/.exec(image.getAttribute('src') ?? '') ?? []
      // Removes external pictures, because loading a picture would reveal the IP address of the administrator
      // to its site.
      image.removeAttribute('src')
      if (id) void fileAddress(Number(id), 640).then((address) => image.setAttribute('src', address))
    }
    for (const link of template.content.querySelectorAll('a')) link.rel = 'noreferrer noopener'
    box.current.replaceChildren(template.content)
  }, [text])
  return (
    <Box
      ref={box}
      sx={{
        overflowWrap: 'anywhere',
        '& img': { maxWidth: '100%', borderRadius: 1.5 },
        '& > :first-of-type': { mt: 0 },
      }}
    />
  )
}
