import { inflateRawSync } from 'node:zlib'
import { fenOf } from './chinese-time.ts'
import { PaymentFault, type StatementLine } from './provider.ts'

const DIRECTORY_END = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
/** Bounds the memory for a decompressed bill. A daily bill is far smaller. */
const MAX_BILL = 256 * 1024 * 1024

function unzip(archive: Buffer): { name: string; text: string }[] {
  const decoder = new TextDecoder('gb18030')
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0 || archive.readUInt32LE(end) !== DIRECTORY_END) throw new Error('no directory')
  const files: { name: string; text: string }[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('no entry')
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)]
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset))
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const packed = archive.subarray(start, start + size)
    const bytes = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: MAX_BILL })
    files.push({
      name: decoder.decode(archive.subarray(at + 46, at + 46 + nameLength!)),
      text: decoder.decode(bytes),
    })
    at += 46 + nameLength! + extra! + comment!
  }
  return files
}

export function readAlipayBill(archive: Buffer): StatementLine[] {
  let files: { name: string; text: string }[]
  try {
    files = unzip(archive)
  } catch {
    throw new PaymentFault('Alipay sent an unreadable bill')
  }
  return files.flatMap(({ text }) => {
    // Lines around the table begin with `#`. Cells may end with a tab.
    const rows = text
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(',').map((cell) => cell.trim()))
    const header = rows.shift() ?? []
    const column = (name: string) => header.findIndex((cell) => cell.startsWith(name))
    const [payment, order, kind, amount] = [
      column('支付宝交易号'),
      column('商户订单号'),
      column('业务类型'),
      column('订单金额'),
    ] as [number, number, number, number]
    const request = column('退款批次号')
    // Skips the file with the summary, which has other columns than the file with the table.
    if ([payment, order, kind, amount].includes(-1)) return []
    return rows.flatMap((row): StatementLine[] => {
      const what = ({ 交易: 'payment', 退款: 'refund' } as const)[row[kind] ?? '']
      const fen = fenOf(row[amount])
      if (!what) return []
      const number = row[request] ?? ''
      return [
        {
          kind: what,
          payment: row[payment] ?? '',
          order: row[order] ?? '',
          amount: fen === undefined ? -1 : Math.abs(fen),
          currency: 'cny',
          ...(what === 'refund' && fen !== undefined && number !== ''
            ? { news: { stated: { number, amount: Math.abs(fen) } } }
            : {}),
        },
      ]
    })
  })
}
