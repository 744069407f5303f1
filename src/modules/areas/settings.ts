import { setting, settingsReader } from '#modules/settings/index.ts'
import { TextList } from '#platform/http'

export const AREA_SETTINGS = {
  'locations:hots': setting(TextList(100, 100), [], {
    label: ['Suggested places', '热门地点'],
    help: ['Each line contains a country, a province and a city.', '每行填写一个地点：国家 省份 城市。'],
  }),
}

export const readAreaSettings = settingsReader(AREA_SETTINGS)
