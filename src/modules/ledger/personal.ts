import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their points and money; whom they got it from or gave it to stays out. */
export const ledgerPersonal = [
  personalTable({
    file: 'balances',
    about: { en: 'Your points and wallet', zh: '您的积分与钱包余额' },
    table: 'ledger_accounts',
    owner: 'owner_id',
    key: ['currency'],
    columns: ['currency', 'balance', 'income', 'expenses', 'created_at'],
  }),
  personalTable({
    file: 'movements',
    about: { en: 'Every movement of your points and wallet', zh: '您的积分与钱包流水' },
    table: 'ledger_postings',
    owner: 'owner_id',
    within: 'currency',
    key: ['id'],
    columns: [
      ...(['id', 'currency', 'transaction_id', 'amount', 'balance_after', 'kind'] as const),
      ...(['subject_type', 'subject_id', 'title', 'body', 'created_at'] as const),
    ],
  }),
  personalTable({
    file: 'recharges',
    about: { en: 'What you paid in', zh: '您的充值记录' },
    table: 'recharges',
    owner: 'owner_id',
    within: 'currency',
    key: ['id'],
    columns: [
      ...(['id', 'currency', 'provider', 'amount', 'credited', 'state', 'reference', 'remark'] as const),
      ...(['decided_at', 'created_at', 'updated_at'] as const),
    ],
  }),
  personalTable({
    file: 'withdrawals',
    about: { en: 'What you took out', zh: '您的提现记录' },
    table: 'withdrawals',
    owner: 'owner_id',
    within: 'currency',
    key: ['id'],
    columns: [
      ...(['id', 'currency', 'amount', 'payout', 'type', 'account', 'state', 'remark'] as const),
      ...(['decided_at', 'created_at', 'updated_at'] as const),
    ],
  }),
]
