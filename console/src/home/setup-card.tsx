import { Box, Button, Card, CardContent, Stack, Link as TextLink, Typography } from '@mui/material'
import { Link, Navigate } from 'react-router'
import { STEP_LABELS, STEPS, useSetup } from '../pages/setup/steps.ts'
import { Icon } from '../shell/icon.tsx'
import { useText } from '../shell/text.ts'

/** Opens the first steps on the first visit. Later shows those that are left, until all are done. */
export function SetupCard() {
  const t = useText()
  const { mayChange, marks, add } = useSetup()
  if (!mayChange || !marks) return null
  if (marks.length === 0) return <Navigate to="/setup" replace />
  if (marks.includes('closed') || STEPS.every((step) => marks.includes(step))) return null
  return (
    <Card component="section" aria-label={t(['First steps', '初始设置'])} sx={{ mb: 2 }} data-setup>
      <CardContent>
        <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
          <Typography variant="h6" component="h2">
            {t(['First steps', '初始设置'])}
          </Typography>
          <Button size="small" onClick={() => void add('closed')}>
            {t(['Hide', '隐藏'])}
          </Button>
        </Stack>
        <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
          {STEPS.map((step) => {
            const isDone = marks.includes(step)
            return (
              <Box component="li" key={step} sx={{ display: 'flex', alignItems: 'center', gap: 1, py: 0.25 }}>
                <Icon
                  name={isDone ? 'done' : 'todo'}
                  fontSize="small"
                  color={isDone ? 'success' : 'disabled'}
                  titleAccess={isDone ? t(['Done', '已完成']) : t(['Not done', '未完成'])}
                />
                {isDone ? (
                  <span>{t(STEP_LABELS[step])}</span>
                ) : (
                  <TextLink component={Link} to={`/setup?step=${step}`}>
                    {t(STEP_LABELS[step])}
                  </TextLink>
                )}
              </Box>
            )
          })}
        </Box>
      </CardContent>
    </Card>
  )
}
