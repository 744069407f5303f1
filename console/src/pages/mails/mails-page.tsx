import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Box,
  Chip,
  Skeleton,
  Stack,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Title, useLocaleState } from 'react-admin'
import { call } from '../../api/client.ts'
import { Icon } from '../../shell/icon.tsx'
import { ErrorState } from '../../shell/states.tsx'
import { useText } from '../../shell/text.ts'
import { type Mail, MailForm } from './mail-form.tsx'

export function MailsPage() {
  const t = useText()
  const [locale] = useLocaleState()
  const [open, setOpen] = useState('')
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['mails', locale],
    queryFn: () => call<Mail[]>('GET', '/admin/mails'),
  })
  return (
    <Box sx={{ pt: 2, pb: 6, maxWidth: 960 }}>
      <Title title={t(['Mails', '邮件'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Mails', '邮件'])}
      </Typography>
      <Typography color="textSecondary" gutterBottom>
        {t([
          'Change subject and text of each mail. The original stays available.',
          '可修改每封邮件的标题和正文，随时可以恢复原文。',
        ])}
      </Typography>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={400} />}
      {data?.map((mail) => (
        <Accordion
          key={mail.mail}
          data-mail={mail.mail}
          expanded={open === mail.mail}
          onChange={(_, isOpen) => setOpen(isOpen ? mail.mail : '')}
          slotProps={{ heading: { component: 'h2' }, transition: { unmountOnExit: true } }}
        >
          <AccordionSummary expandIcon={<Icon name="more" />}>
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
              <span>{mail.about}</span>
              {mail.is_changed && <Chip size="small" color="primary" label={t(['changed', '已修改'])} />}
            </Stack>
          </AccordionSummary>
          <AccordionDetails>
            <MailForm mail={mail} saved={() => void refetch()} />
          </AccordionDetails>
        </Accordion>
      ))}
    </Box>
  )
}
