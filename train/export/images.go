package export

import (
	"encoding/base64"

	"airqa/qa"
)

// imagesDir is the folder of images in an export.
const imagesDir = "images"

// dataURL returns an image as a URL with its bytes.
func dataURL(im qa.Image) string {
	return "data:" + im.MIME + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
}
