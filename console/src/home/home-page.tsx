import { Box, Typography } from '@mui/material'
import { Title } from 'react-admin'
import { useText } from '../shell/text.ts'
import { WaitingCards } from './waiting-cards.tsx'

/** The first page: what waits, how the community does, and whether everything is in order. */
export function HomePage() {
  const t = useText()
  return (
    <Box sx={{ pt: 2, pb: 6 }}>
      <Title title={t(['Home', '首页'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Home', '首页'])}
      </Typography>
      <WaitingCards />
    </Box>
  )
}
