import { Box, Checkbox, FormControlLabel, FormGroup, Typography } from '@mui/material'
import { useInput } from 'react-admin'
import { type Text, useText } from '../shell/text.ts'

export const EVENT_TEXTS: Record<string, Text> = {
  'notification.created': ['Somebody got a notification', '有人收到通知'],
  'user.created': ['Somebody joined', '有新用户注册'],
  'user.deleted': ['An account was deleted', '账号被删除'],
  'feed.created': ['A feed was published', '发布了动态'],
  'feed.deleted': ['A feed was deleted', '动态被删除'],
  'comment.created': ['Somebody commented', '发表了评论'],
  'comment.deleted': ['A comment was deleted', '评论被删除'],
  'topic.created': ['A topic was created, perhaps for review', '创建了话题（可能待审核）'],
  'topic.deleted': ['A topic was deleted', '话题被删除'],
  'news.published': ['An article was published', '发布了资讯'],
  'news.deleted': ['An article was deleted', '资讯被删除'],
  'question.created': ['Somebody asked a question', '提出了问题'],
  'question.deleted': ['A question was deleted', '问题被删除'],
  'answer.created': ['Somebody answered', '发表了回答'],
  'answer.deleted': ['An answer was deleted', '回答被删除'],
  'group.created': ['A group was created', '创建了圈子'],
  'group.deleted': ['A group was deleted', '圈子被删除'],
  'post.created': ['A post was published in a group', '圈子内发布了帖子'],
  'post.deleted': ['A post of a group was deleted', '圈子帖子被删除'],
  'message.created': ['Somebody sent a chat message', '发送了聊天消息'],
  'purchase.created': ['Somebody paid for content', '有人付费购买内容'],
  'reward.created': ['Somebody gave a reward', '有人打赏'],
  'webhook.ping': ['A test of this address', '对此地址的测试'],
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
        label={t(['All events, those of later versions too', '全部事件，包括以后新增的'])}
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
