import { parse } from 'postgres-array'
import type { Driver } from './connection.ts'

/** PostgreSQL's own types: the object id of each, and of its array. They are the same in every database of every version. */
const ARRAYS: [of: number, array: number][] = [
  [16, 1000], // bool
  [17, 1001], // bytea
  [18, 1002], // "char"
  [19, 1003], // name
  [20, 1016], // int8
  [21, 1005], // int2
  [23, 1007], // int4
  [25, 1009], // text
  [26, 1028], // oid
  [28, 1011], // xid
  [114, 199], // json
  [650, 651], // cidr
  [700, 1021], // float4
  [701, 1022], // float8
  [869, 1041], // inet
  [1042, 1014], // bpchar
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1083, 1183], // time
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1186, 1187], // interval
  [1700, 1231], // numeric
  [2205, 2210], // regclass
  [2206, 2211], // regtype
  [2950, 2951], // uuid
  [3220, 3221], // pg_lsn
  [3802, 3807], // jsonb
]

/**
 * Makes a driver read and send arrays. By itself it asks each new connection for their types, and when the connection is lost
 * in that moment, nobody hears of the failure and the process ends.
 */
export function takeArrays({ options: { parsers, serializers } }: Driver): void {
  for (const [of, array] of ARRAYS) {
    const read = parsers[of] ?? String
    const write: (value: unknown) => unknown = serializers[of] ?? String
    parsers[array] = (text: string) => parse(text, read)
    serializers[array] = (value: unknown) => (Array.isArray(value) ? literal(value, write) : value)
  }
}

/** `{"one","two",null}`: an array as PostgreSQL reads it. */
function literal(values: unknown[], write: (value: unknown) => unknown): string {
  const parts = values.map((value) => {
    if (value === null) return 'null'
    if (value === undefined) throw new TypeError('an array for the database holds undefined')
    if (Array.isArray(value)) return literal(value, write)
    return `"${String(write(value)).replace(/[\\"]/g, '\\$&')}"`
  })
  return `{${parts.join(',')}}`
}
