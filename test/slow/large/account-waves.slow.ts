process.env.KITH_WAVE_ACCOUNTS = '10000'
await import('#test/account-waves.test.ts')
