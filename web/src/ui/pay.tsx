import { newKey } from '@kith/client'
import { useState } from 'preact/hooks'
import { isDecided } from '../app/failures.ts'
import { useSite } from '../app/site.ts'
import { useToast } from '../app/toast.tsx'
import { plural, useWords, words } from '../app/words.ts'
import { Dialog } from './dialog.tsx'
import { Field, Form, type Given } from './form.tsx'

const WORDS = words({
  password: ['Your password', '登录密码'],
  points: [(count: number) => plural(count, 'point'), (count: number) => `${count} 积分`],
  have: [(count: number) => `You have ${plural(count, 'point')}.`, (count: number) => `你有 ${count} 积分。`],
  pay: [(count: number) => `Pay ${plural(count, 'point')}`, (count: number) => `支付 ${count} 积分`],
  done: ['Paid.', '支付成功。'],
})

type Payment = {
  amount: number
  given: Given
  password: { password?: string }
  headers: Record<string, string>
}

/** Asks for confirmation of a payment. An idempotency key prevents a double payment after a lost response. */
export function Pay({
  title,
  fields = [],
  price,
  pay,
  onDone,
  onClose,
}: {
  title: string
  fields?: { name: string; label: string; least: number; start?: number }[]
  price(entered: Record<string, number>): number
  pay(payment: Payment): Promise<unknown>
  onDone(): void
  onClose(): void
}) {
  const t = useWords(WORDS)
  const { settings, viewer } = useSite()
  const { say } = useToast()
  const [entered, setEntered] = useState(
    Object.fromEntries(fields.map(({ name, least, start = least }) => [name, start])),
  )
  const [key, setKey] = useState(() => newKey())
  const amount = price(entered)
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <b>{t.points(amount)}</b> <span class="quiet">{t.have(viewer?.currency.sum ?? 0)}</span>
      </p>
      <Form
        label={t.pay(amount)}
        send={async (given) => {
          const { password } = given
          const headers = { 'idempotency-key': key }
          try {
            await pay({ amount, given, password: password ? { password } : {}, headers })
          } catch (error) {
            // The server stores a rejection under the idempotency key, so the next attempt needs a new key. After a lost
            // response, and while the first request is still running, the key stays.
            if (isDecided(error)) setKey(newKey())
            throw error
          }
          say(t.done)
          onDone()
        }}
      >
        {fields.map(({ name, label, least }) => (
          <Field
            key={name}
            label={label}
            name={name}
            type="number"
            inputMode="numeric"
            min={least}
            step={1}
            required
            value={entered[name]}
            onInput={({ currentTarget }) => setEntered({ ...entered, [name]: Number(currentTarget.value) })}
          />
        ))}
        {settings['pay-validate-user-password'] && (
          <Field
            label={t.password}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
        )}
      </Form>
    </Dialog>
  )
}
