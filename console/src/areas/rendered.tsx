import { Box, Button, Typography } from '@mui/material'
import { lazy, Suspense, useState } from 'react'
import { useText } from '../shell/text.ts'

const Markdown = lazy(() => import('./markdown.tsx').then((part) => ({ default: part.Markdown })))

export function Rendered({ text }: { text: string }) {
  const t = useText()
  const [isRaw, setRaw] = useState(false)
  return (
    <Box>
      <Box
        sx={{ maxHeight: 480, overflowY: 'auto' }}
        tabIndex={0}
        role="region"
        aria-label={t(['Text', '正文'])}
      >
        {isRaw ? (
          <Typography
            component="pre"
            sx={{ m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 13 }}
          >
            {text}
          </Typography>
        ) : (
          <Suspense fallback={null}>
            <Markdown text={text} />
          </Suspense>
        )}
      </Box>
      <Button size="small" onClick={() => setRaw(!isRaw)} aria-pressed={isRaw}>
        {isRaw ? t(['Show the formatted text', '显示排版效果']) : t(['Show the source', '显示源文本'])}
      </Button>
    </Box>
  )
}
