import { Box, Button, Paper, Stack, Typography } from '@mui/material'
import { useEffect } from 'react'
import { useText } from '../shell/text.ts'
import { dismiss, UNDO_MS, undo, usePending } from './pending.ts'
import { Refused } from './queue-page.tsx'

export function Decisions({ queue }: { queue: string }) {
  const t = useText()
  const all = usePending().filter(({ id }) => id.startsWith(`${queue} `))
  const undoable = all.filter(({ state }) => state === 'waiting')
  const last = undoable.at(-1)

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (last && event.key === 'u' && !(event.target as HTMLElement).closest('input, textarea'))
        undo(last.id)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [last])

  return (
    <>
      <Box role="alert">
        {all
          .filter(({ state }) => state === 'refused')
          .map(({ id, title, refusal }) => (
            <Refused key={id} title={title} text={refusal ?? ''} close={() => dismiss(id)} />
          ))}
      </Box>
      <Box
        role="status"
        sx={{
          position: 'fixed',
          bottom: 16,
          left: '50%',
          translate: '-50% 0',
          zIndex: 1300,
          width: 'min(92vw, 34rem)',
        }}
      >
        <Stack spacing={1}>
          {undoable.length > 1 && (
            <Button
              variant="contained"
              color="inherit"
              onClick={() => {
                for (const { id } of undoable) undo(id)
              }}
            >
              {t([`Undo all ${undoable.length}`, `全部撤销（${undoable.length}）`])}
            </Button>
          )}
          {all
            .filter(({ state }) => state !== 'refused')
            .slice(-3)
            .map(({ id, title, verdict, state }) => (
              <Paper
                key={id}
                variant="outlined"
                sx={{ px: 2, py: 1, overflow: 'hidden', position: 'relative', boxShadow: 3 }}
              >
                <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
                  <Typography noWrap sx={{ flex: 1 }}>
                    <strong>{verdict}</strong> · {title}
                  </Typography>
                  {state === 'waiting' ? (
                    <Button size="small" onClick={() => undo(id)}>
                      {t(['Undo', '撤销'])} (u)
                    </Button>
                  ) : (
                    <Typography color="textSecondary">{t(['Sending…', '提交中…'])}</Typography>
                  )}
                </Stack>
                {state === 'waiting' && (
                  <Box
                    aria-hidden
                    sx={{
                      position: 'absolute',
                      insetInlineStart: 0,
                      bottom: 0,
                      height: 3,
                      width: '100%',
                      bgcolor: 'primary.main',
                      transformOrigin: 'left',
                      animation: `kith-ebb ${UNDO_MS}ms linear forwards`,
                      '@keyframes kith-ebb': { to: { transform: 'scaleX(0)' } },
                    }}
                  />
                )}
              </Paper>
            ))}
        </Stack>
      </Box>
    </>
  )
}
