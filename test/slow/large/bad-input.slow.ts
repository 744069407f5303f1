process.env.KITH_BAD_INPUT_RUNS = '20'
await import('#test/bad-input.test.ts')
