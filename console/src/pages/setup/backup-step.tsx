import { Alert, Box, Button, Link, Typography } from '@mui/material'
import { useState } from 'react'
import { Link as RouterLink } from 'react-router'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { useText } from '../../shell/text.ts'
import type { StepProps } from './setup-page.tsx'

export function BackupStep({ done }: StepProps) {
  const t = useText()
  const [result, setResult] = useState<{ isGood: boolean; text: string }>()
  const test = async () => {
    try {
      const { place, fault } = await call<{ place: boolean; fault: string | null }>(
        'POST',
        '/admin/backup-test',
      )
      if (!place)
        setResult({
          isGood: false,
          text: t([
            'No place for backups is configured. Set BACKUP_TO to a folder or a bucket, then restart the server.',
            '尚未配置备份位置。请将 BACKUP_TO 设为文件夹或存储桶，然后重启服务器。',
          ]),
        })
      else if (fault !== null) setResult({ isGood: false, text: fault })
      else
        setResult({ isGood: true, text: t(['The place of backups can be written.', '备份位置可以写入。']) })
    } catch (error) {
      setResult({ isGood: false, text: messageOf(error) })
    }
  }
  return (
    <>
      <Typography gutterBottom>
        {t([
          'The server makes a backup every night when BACKUP_TO is set in its environment. A backup holds the database and all uploads.',
          '在服务器环境变量中设置 BACKUP_TO 后，服务器每晚自动备份数据库和全部上传文件。',
        ])}
      </Typography>
      <Typography gutterBottom>
        {t(['Are you moving a site here?', '要把已有站点迁移到这里？'])}{' '}
        <Link component={RouterLink} to="/backups">
          {t(['Restore its backup', '恢复其备份'])}
        </Link>
      </Typography>
      <Button onClick={() => void test()}>{t(['Test the backup place', '测试备份位置'])}</Button>
      <Box role="status" sx={{ my: 1 }}>
        {result && <Alert severity={result.isGood ? 'success' : 'error'}>{result.text}</Alert>}
      </Box>
      <Button variant="contained" disabled={!result?.isGood} onClick={() => void done()}>
        {t(['Continue', '继续'])}
      </Button>
    </>
  )
}
