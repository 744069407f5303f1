/**
 * Payment methods by provider, named as in existing clients, with the kind of payment page that each method
 * opens.
 */
export const METHODS = {
  alipay: {
    alipay: 'app',
    AlipayOrder: 'app',
    alipay_wap: 'wap',
    AlipayWapOrder: 'wap',
    alipay_pc_direct: 'page',
  },
  stripe: { stripe: 'page' },
  wechat: {
    wx: 'app',
    WechatOrder: 'app',
    wx_wap: 'h5',
    WechatWapOrder: 'h5',
    wx_pub: 'jsapi',
    wx_pub_qr: 'native',
  },
} as const satisfies Record<string, Record<string, string>>

export const wayOf = <P extends keyof typeof METHODS>(provider: P, method: string) =>
  (METHODS[provider] as Record<string, string>)[method] as
    | (typeof METHODS)[P][keyof (typeof METHODS)[P]]
    | undefined
