import { Box, Typography } from '@mui/material'
import { type Text, useText } from '../../shell/text.ts'

export function Preview({ told, effect, isEmpty }: { told: Text; effect: Text; isEmpty: boolean }) {
  const t = useText()
  return (
    <Box
      component="section"
      aria-label={t(['What the user sees', '用户看到的内容'])}
      sx={{ mt: 1, px: 1.5, py: 1, borderLeft: 3, borderColor: 'divider' }}
    >
      <Typography variant="body2" color="textSecondary">
        {t(['What the user sees', '用户看到的内容'])}
      </Typography>
      <Typography sx={{ overflowWrap: 'anywhere' }}>
        {isEmpty ? t(['Enter a reason to see the preview.', '填写理由后显示预览。']) : t(told)}
      </Typography>
      <Typography variant="body2" color="textSecondary">
        {t(effect)}
      </Typography>
    </Box>
  )
}
