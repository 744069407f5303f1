import type { Scene } from '../pictures/photographs.ts'

/** Topics by the word that the list below calls them by. */
export const TOPICS: Readonly<Record<string, { name: string; description: string; scene: Scene }>> = {
  walk: {
    name: '周末去哪儿',
    description: '走路、爬山、坐一趟慢车，把路上的风景带回来。',
    scene: 'mountains',
  },
  photo: {
    name: 'One picture a day',
    description: 'A picture of today, however small the day was.',
    scene: 'lake',
  },
  food: { name: '今天吃什么', description: '家常菜、小馆子、失败的蛋糕，都算。', scene: 'cup' },
  music: {
    name: 'Now playing',
    description: 'What you are listening to, practising or humming in the kitchen.',
    scene: 'lights',
  },
  night: { name: '抬头看天', description: '星星、月亮、云，和等它们的人。', scene: 'stars' },
  grow: {
    name: 'Balcony gardens',
    description: 'Two square metres are enough for a jungle.',
    scene: 'meadow',
  },
  make: { name: '自己动手', description: '修好的、做坏的、正在冒烟的。', scene: 'city' },
  books: { name: 'Read and reread', description: 'Books, and where you read them.', scene: 'forest' },
}
