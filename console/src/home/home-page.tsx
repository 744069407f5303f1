import { Box, Typography } from '@mui/material'
import { Title } from 'react-admin'
import { useText } from '../shell/text.ts'
import { DaysChart } from './days-chart.tsx'
import { HealthCard, HealthNotice } from './health-card.tsx'
import { RequestsCharts } from './requests-charts.tsx'
import { SetupCard } from './setup-card.tsx'
import { WaitingCards } from './waiting-cards.tsx'

export function HomePage() {
  const t = useText()
  return (
    <Box sx={{ pt: 2, pb: 6 }}>
      <Title title={t(['Home', '首页'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Home', '首页'])}
      </Typography>
      <SetupCard />
      <HealthNotice />
      <WaitingCards />
      <Typography variant="h6" component="h2" sx={{ mt: 3, mb: 1 }}>
        {t(['Last 30 days', '最近 30 天'])}
      </Typography>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' } }}>
        <DaysChart names={['active-people', 'sign-ups']} label={['Users', '用户']} />
        <DaysChart names={['feeds', 'comments', 'group-posts']} label={['Content', '内容']} />
        <DaysChart names={['points-moved']} label={['Points', '积分']} />
        <DaysChart
          names={['questions', 'answers', 'news']}
          label={['Questions and articles', '问答与资讯']}
        />
      </Box>
      <RequestsCharts />
      <HealthCard />
    </Box>
  )
}
