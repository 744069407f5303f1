import { Alert, Box, Button, Typography } from '@mui/material'
import { messageOf } from '../api/message.ts'
import { Icon } from './icon.tsx'
import { type Text, useText } from './text.ts'

export function EmptyState({
  icon = 'empty',
  text,
  note,
  isHeading = false,
}: {
  icon?: string
  isHeading?: boolean
  text: Text
  note?: Text | undefined
}) {
  const t = useText()
  return (
    <Box sx={{ py: 8, px: 2, textAlign: 'center', color: 'text.secondary' }}>
      <Icon name={icon} sx={{ fontSize: 44, opacity: 0.6, mb: 1 }} />
      <Typography variant="h6" component={isHeading ? 'h1' : 'p'} color="textPrimary">
        {t(text)}
      </Typography>
      {note && <Typography>{t(note)}</Typography>}
    </Box>
  )
}

export function ErrorState({ error, retry }: { error: unknown; retry(): void }) {
  const t = useText()
  return (
    <Alert
      severity="error"
      sx={{ my: 2 }}
      action={
        <Button color="inherit" size="small" onClick={retry}>
          {t(['Try again', '重试'])}
        </Button>
      }
    >
      {messageOf(error)}
    </Alert>
  )
}
