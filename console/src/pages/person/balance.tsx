import { newKey } from '@kith/client'
import { Alert, Box, Button, Stack, TextField, Typography } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useLocaleState, useNotify } from 'react-admin'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { AmountInput } from '../../shell/amount-input.tsx'
import { type Currency, formatAmount } from '../../shell/money.ts'
import { type Heading, PagedTable, usePages } from '../../shell/paged-table.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'

const AT_ONCE = 10

/**
 * Names of ledger movements (docs/ledger.md). A kind such as `pin:refunded` ends with the outcome of the
 * movement.
 */
const KINDS: Record<string, Text> = {
  pin: ['Pin', '置顶'],
  purchase: ['Purchase', '购买'],
  reward: ['Reward', '打赏'],
  transfer: ['Transfer', '转账'],
  transform: ['Exchange for points', '兑换积分'],
  recharge: ['Recharge', '充值'],
  withdrawal: ['Withdrawal', '提现'],
  opening: ['Opening balance', '期初余额'],
  deletion: ['Account deleted', '账号注销'],
  adjustment: ['Adjustment', '调整'],
  bounty: ['Bounty', '悬赏'],
  membership: ['Joined a group', '加入圈子'],
  contribution: ['Contribution', '投稿'],
  checkin: ['Check-in', '签到'],
  excellence: ['Request for excellence', '精选申请'],
  onlook: ['Answer viewed', '围观答案'],
}
const OUTCOMES: Record<string, Text> = {
  accepted: ['accepted', '已通过'],
  passed: ['paid out', '已付款'],
  paid: ['paid', '已发放'],
  rejected: ['rejected', '已驳回'],
  refunded: ['refunded', '已退还'],
}

function kindOf(kind: unknown): Text {
  const [what = '', outcome] = String(kind).split(':')
  const [en, zh] = KINDS[what] ?? [what, what]
  const became = outcome === undefined ? undefined : (OUTCOMES[outcome] ?? [outcome, outcome])
  return became ? [`${en}, ${became[0]}`, `${zh}（${became[1]}）`] : [en, zh]
}

const headingsFor = (kind: Currency, locale: string): readonly Heading[] => [
  { label: ['Time', '时间'], isWhole: true, cell: (row) => <Value value={row.created_at} as="time" /> },
  { label: ['Description', '事项'], cell: (row) => <What row={row} /> },
  {
    label: ['Amount', '金额'],
    align: 'right',
    isWhole: true,
    tone: (row) => (Number(row.amount) < 0 ? 'error.main' : 'success.main'),
    cell: (row) => formatAmount(Number(row.amount), kind, locale, { signed: true }),
  },
  {
    label: ['Balance', '余额'],
    align: 'right',
    isWhole: true,
    cell: (row) => formatAmount(Number(row.balance_after), kind, locale),
  },
]

function What({ row }: { row: Wire }) {
  const t = useText()
  return String(row.body || row.title || t(kindOf(row.kind)))
}

export function Balance({ user, kind, mayGrant }: { user: number; kind: Currency; mayGrant: boolean }) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [locale] = useLocaleState()
  const [fault, setFault] = useState('')
  const [amount, setAmount] = useState<number | null>(null)
  const [booked, setBooked] = useState(0)
  // The idempotency key stays the same until the grant succeeds, so that a second click does not pay twice.
  const key = useRef(newKey())
  const pages = usePages(['ledger', user, kind], `/admin/users/${user}/${kind}`, AT_ONCE)
  const grant = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const { reason } = Object.fromEntries(new FormData(form))
    setFault('')
    if (amount === null) return setFault(t(['The amount is not valid.', '金额格式不正确。']))
    try {
      await call('POST', `/admin/users/${user}/${kind}`, {
        body: { amount, reason },
        key: key.current,
      })
      key.current = newKey()
      form.reset()
      setBooked((count) => count + 1)
      setAmount(null)
      pages.setPage(0)
      notify(t(['Balance adjusted', '余额已调整']), { type: 'success' })
      await client.invalidateQueries({ queryKey: ['ledger', user, kind] })
    } catch (refused) {
      setFault(messageOf(refused))
    }
  }
  return (
    <>
      {mayGrant && (
        <Box component="form" onSubmit={grant} aria-label={t(['Adjust balance', '调整余额'])} sx={{ mb: 2 }}>
          <Stack
            direction={{ xs: 'column', sm: 'row' }}
            spacing={1}
            sx={{ alignItems: { sm: 'flex-start' } }}
          >
            <AmountInput
              key={booked}
              currency={kind}
              signed
              change={setAmount}
              required
              label={t(['Amount', '金额'])}
              sx={{ maxWidth: { sm: 180 } }}
            />
            <TextField
              name="reason"
              required
              label={t(['Reason', '理由'])}
              helperText=" "
              slotProps={{ htmlInput: { maxLength: 200 } }}
            />
            <Button type="submit" variant="contained" sx={{ whiteSpace: 'nowrap', mt: { sm: 1 } }}>
              {t(['Adjust', '调整'])}
            </Button>
          </Stack>
          <Typography variant="body2" color="textSecondary">
            {t(['A negative amount deducts. The user sees the reason.', '负数表示扣除。用户会看到理由。'])}
          </Typography>
          <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
        </Box>
      )}
      <PagedTable
        pages={pages}
        label={['Ledger', '流水']}
        headings={headingsFor(kind, locale)}
        empty={{ icon: 'ledger', text: ['No ledger entries yet.', '暂无流水。'] }}
      />
    </>
  )
}
