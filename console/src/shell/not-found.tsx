import { Box, Button } from '@mui/material'
import { Title } from 'react-admin'
import { Link } from 'react-router'
import { EmptyState } from './states.tsx'
import { type Text, useText } from './text.ts'

export function Missing({
  text,
  note,
  to,
  label,
}: {
  text: Text
  note?: Text | undefined
  to: string
  label: Text
}) {
  const t = useText()
  return (
    <Box sx={{ textAlign: 'center' }}>
      <Title title={t(text)} />
      <EmptyState text={text} note={note} isHeading />
      <Button component={Link} to={to} variant="contained">
        {t(label)}
      </Button>
    </Box>
  )
}

export function NotFoundPage() {
  return (
    <Missing
      text={['This page does not exist.', '页面不存在。']}
      note={['The URL may be wrong or belong to another version.', '网址可能有误，或来自其他版本。']}
      to="/"
      label={['Home', '首页']}
    />
  )
}
