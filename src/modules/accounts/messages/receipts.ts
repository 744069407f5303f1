import { findReceipt } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import { findContacts } from '../alerts/service.ts'
import { enqueueMessage } from './service.ts'

const SUBJECT = '充值收据 Receipt of your payment'

/** Mails the receipt of a credited payment. An account without an address finds it among its orders. */
async function sendReceipt(ctx: Context, id: number): Promise<void> {
  const receipt = await findReceipt(ctx.sql, id)
  if (!receipt) return
  const { provider, order_number: order, payment_number: payment, paid_at: at } = receipt
  const contacts = await findContacts(ctx.sql, receipt.owner_id)
  if (!contacts?.email) return
  const amount = `${(receipt.amount / 100).toFixed(2)} ${receipt.charge_currency.toUpperCase()}`
  const time = `${String(at).slice(0, 19)} UTC`
  const [zh, en] =
    receipt.currency === 'points'
      ? [`${receipt.credited} 积分`, `${receipt.credited} points`]
      : [
          `钱包 ${(receipt.credited / 100).toFixed(2)}`,
          `${(receipt.credited / 100).toFixed(2)} in the wallet`,
        ]
  const text = [
    `您的付款已到账。\n金额：${amount}\n到账：${zh}\n渠道：${provider}\n订单号：${order}\n支付单号：${payment}\n时间：${time}`,
    `Your payment was credited.\nAmount: ${amount}\nCredited: ${en}\nProvider: ${provider}\nOrder: ${order}\nPayment: ${payment}\nTime: ${time}`,
  ].join('\n\n')
  await enqueueMessage(ctx, ctx.sql, { email: contacts.email, phone: null }, { subject: SUBJECT, text })
}

export const receiptTasks = (ctx: Context): TaskList => ({
  send_receipt: (payload) => sendReceipt(ctx, (payload as { id: number }).id),
})
