import { Box, Button, Typography } from '@mui/material'
import { useState } from 'react'
import { useText } from '../shell/text.ts'
import type { MemberText } from './member-text.ts'
import { TextView } from './text-tree.tsx'

/** A text with a height limit. A button shows the source of Markdown. */
export function Rendered({ text, top = 2 }: { text: MemberText; top?: number }) {
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
            dir="auto"
            sx={{ m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 13 }}
          >
            {text.source}
          </Typography>
        ) : (
          <TextView text={text} top={top} />
        )}
      </Box>
      {text.format === 'markdown' && (
        <Button size="small" onClick={() => setRaw(!isRaw)} aria-pressed={isRaw}>
          {isRaw ? t(['Show the formatted text', '显示排版效果']) : t(['Show the source', '显示源文本'])}
        </Button>
      )}
    </Box>
  )
}
