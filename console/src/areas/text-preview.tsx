import { Alert, Box, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { messageOf } from '../api/message.ts'
import { useText } from '../shell/text.ts'
import type { TextFormat, TextTree } from './member-text.ts'
import { TextView } from './text-tree.tsx'

const DELAY_MS = 400

/** Asks the server for the tree of a text while somebody writes. Keeps the last tree until the next one arrives. */
function usePreview(text: string, format: TextFormat): { tree: TextTree | undefined; fault: string } {
  const [tree, setTree] = useState<TextTree>()
  const [fault, setFault] = useState('')
  const isFirst = useRef(true)
  useEffect(() => {
    if (text.trim() === '') {
      setTree(undefined)
      setFault('')
      return
    }
    let isStale = false
    const ask = async () => {
      try {
        const read = await call<{ tree: TextTree }>('POST', '/texts/preview', { body: { text, format } })
        if (isStale) return
        setTree(read.tree)
        setFault('')
      } catch (error) {
        if (!isStale) setFault(messageOf(error))
      }
    }
    const timer = setTimeout(() => void ask(), isFirst.current ? 0 : DELAY_MS)
    isFirst.current = false
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [text, format])
  return { tree, fault }
}

export function TextPreview({ text, format, of }: { text: string; format: TextFormat; of: string }) {
  const t = useText()
  const { tree, fault } = usePreview(text, format)
  return (
    <Box
      component="section"
      aria-label={t([`Preview: ${of}`, `预览：${of}`])}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        p: 2,
        mt: 1,
        mb: 3,
        minWidth: 0,
        maxHeight: 640,
        overflow: 'auto',
      }}
      tabIndex={0}
    >
      {fault && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t(['The preview could not be updated.', '预览更新失败。'])} {fault}
        </Alert>
      )}
      {tree ? (
        <TextView text={{ tree, format }} />
      ) : (
        <Typography color="textSecondary">{t(['Preview', '预览'])}</Typography>
      )}
    </Box>
  )
}
