import {
  Box,
  Button,
  Card,
  CardContent,
  Skeleton,
  Stack,
  Step,
  StepButton,
  Stepper,
  Typography,
} from '@mui/material'
import { useEffect, useState } from 'react'
import { Title } from 'react-admin'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { HIDDEN } from '../../shell/hidden.ts'
import { useSiteHead } from '../../shell/site-name.ts'
import { ErrorState } from '../../shell/states.tsx'
import { useText } from '../../shell/text.ts'
import { BackupStep } from './backup-step.tsx'
import { InviteStep } from './invite-step.tsx'
import { JoinStep } from './join-step.tsx'
import { LookStep } from './look-step.tsx'
import { MailStep } from './mail-step.tsx'
import { STEP_LABELS, STEPS, type StepName, useSetup } from './steps.ts'

export type StepProps = {
  /** Marks the step as done and opens the next one. */
  done(): Promise<void>
}

const BODIES: Record<StepName, (props: StepProps) => React.ReactNode> = {
  look: LookStep,
  join: JoinStep,
  mail: MailStep,
  backup: BackupStep,
  invite: InviteStep,
}

export function SetupPage() {
  const t = useText()
  const { name } = useSiteHead()
  const navigate = useNavigate()
  const { mayChange, marks, add, error, refetch } = useSetup()
  const [query, setQuery] = useSearchParams()
  const named = STEPS.find((step) => step === query.get('step'))
  const [isMarked, setMarked] = useState(false)
  useEffect(() => {
    if (!marks || isMarked || marks.includes('seen')) return
    setMarked(true)
    // A failure opens the steps again at the next visit.
    void add('seen').catch(() => {})
  }, [marks, isMarked, add])
  if (mayChange === false) return <Navigate to="/" replace />
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!marks) return <Skeleton variant="rounded" height={400} sx={{ mt: 2 }} />
  const here = named ?? STEPS[0]
  const Body = BODIES[here]
  const next = STEPS[STEPS.indexOf(here) + 1]
  const goOn = () => (next ? setQuery({ step: next }) : navigate('/'))
  const done = async () => {
    await add(here)
    void goOn()
  }
  return (
    <Box sx={{ pt: 2, pb: 6, maxWidth: 760 }}>
      <Title title={t(['First steps', '初始设置'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t([`Welcome to ${name}`, `欢迎使用 ${name}`])}
      </Typography>
      <Typography color="textSecondary" gutterBottom>
        {t([
          'Five steps make this site yours. You may skip each of them, and return from the home page.',
          '完成以下五步即可让站点成为你们自己的社区。每一步都可以跳过，之后可从首页继续。',
        ])}
      </Typography>
      <Stepper
        nonLinear
        activeStep={STEPS.indexOf(here)}
        // Phones have room for the numbers only. The heading below names the open step.
        sx={(theme) => ({
          my: 2,
          [theme.breakpoints.down('sm')]: { '& .MuiStepLabel-labelContainer': HIDDEN },
        })}
      >
        {STEPS.map((step) => (
          <Step key={step} completed={marks.includes(step)}>
            <StepButton onClick={() => setQuery({ step })}>{t(STEP_LABELS[step])}</StepButton>
          </Step>
        ))}
      </Stepper>
      <Card component="section" aria-label={t(STEP_LABELS[here])} data-step={here}>
        <CardContent>
          <Typography variant="h6" component="h2" gutterBottom>
            {t(STEP_LABELS[here])}
          </Typography>
          <Body key={here} done={done} />
        </CardContent>
      </Card>
      <Stack direction="row" spacing={1} sx={{ mt: 2 }}>
        <Button onClick={goOn}>{next ? t(['Skip this step', '跳过这一步']) : t(['Finish', '完成'])}</Button>
      </Stack>
    </Box>
  )
}
