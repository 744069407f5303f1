import { Box, Checkbox, FormControlLabel, FormGroup, Typography } from '@mui/material'
import { useInput } from 'react-admin'
import { type Text, useText } from '../shell/text.ts'

export const EVENT_TEXTS: Record<string, Text> = {
  'notification.created': ['A user received a notification', '用户收到通知'],
  'user.created': ['A user registered', '新用户注册'],
  'user.deleted': ['An account was deleted', '账号被删除'],
  'feed.created': ['A feed was published', '动态已发布'],
  'feed.deleted': ['A feed was deleted', '动态被删除'],
  'comment.created': ['A comment was published', '评论已发布'],
  'comment.deleted': ['A comment was deleted', '评论被删除'],
  'topic.created': ['A topic was created or submitted for review', '话题已创建或已提交审核'],
  'topic.deleted': ['A topic was deleted', '话题被删除'],
  'news.published': ['An article was published', '资讯已发布'],
  'news.deleted': ['An article was deleted', '资讯被删除'],
  'question.created': ['A question was published', '问题已发布'],
  'question.deleted': ['A question was deleted', '问题被删除'],
  'answer.created': ['An answer was published', '回答已发布'],
  'answer.deleted': ['An answer was deleted', '回答被删除'],
  'group.created': ['A group was created', '圈子已创建'],
  'group.deleted': ['A group was deleted', '圈子被删除'],
  'post.created': ['A group post was published', '圈子帖子已发布'],
  'post.deleted': ['A group post was deleted', '圈子帖子被删除'],
  'message.created': ['A chat message was sent', '聊天消息已发送'],
  'purchase.created': ['A user paid for content', '用户购买了付费内容'],
  'reward.created': ['A user gave a reward', '用户打赏'],
  'webhook.ping': ['Test event', '测试事件'],
}

/**
 * Checkboxes for the events of a webhook. Null selects all events, including events that later versions add.
 */
export function EventChecks({ source, label }: { source: string; label: string }) {
  const t = useText()
  const { field } = useInput({ source, defaultValue: null })
  const chosen: string[] | null = Array.isArray(field.value) ? field.value : null
  const toggle = (name: string) => {
    const next = chosen?.includes(name) ? chosen.filter((each) => each !== name) : [...(chosen ?? []), name]
    field.onChange(next.length === 0 ? null : next)
  }
  return (
    <Box
      component="fieldset"
      sx={{ border: 1, borderColor: 'divider', borderRadius: 2, p: 2, width: '100%', minWidth: 0 }}
    >
      <Typography component="legend" variant="subtitle2" sx={{ px: 1 }}>
        {label}
      </Typography>
      <FormControlLabel
        control={<Checkbox size="small" checked={chosen === null} onChange={() => field.onChange(null)} />}
        label={t(['All events, including those of later versions', '全部事件，包括后续版本新增的事件'])}
      />
      <FormGroup sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(280px, 1fr))' }}>
        {Object.entries(EVENT_TEXTS).map(([name, text]) => (
          <FormControlLabel
            key={name}
            control={
              <Checkbox
                size="small"
                checked={chosen?.includes(name) ?? false}
                onChange={() => toggle(name)}
              />
            }
            label={
              <>
                {t(text)}
                <Box component="code" sx={{ display: 'block', fontSize: 12, color: 'text.secondary' }}>
                  {name}
                </Box>
              </>
            }
          />
        ))}
      </FormGroup>
    </Box>
  )
}
