package main

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// point is one of a curve.
type point struct{ x, y float64 }

// curves are what the pictures show.
type curves struct{ ready, calls, masses, memory []point }

const (
	pictureWidth  = 16 * vg.Centimeter
	pictureHeight = 8 * vg.Centimeter
	// enough points are so many that more of them would not be visible.
	enough = 400
)

// picture is one file.
type picture struct {
	name, title, x, y string
	points            []point
}

func (c *curves) pictures() []picture {
	return []picture{
		{"ready", "One service with 150 databases and 150 users", "seconds since the apply began", "objects ready", c.ready},
		{"calls", "One service with 150 databases and 150 users", "seconds since the apply began", "calls to Aiven", c.calls},
		{"masses", "Ten services full of databases and users", "seconds since the apply began", "objects ready", c.masses},
		{"memory", "Ten services full of databases and users", "objects ready", "MB allocated by the operator", c.memory},
	}
}

// draw writes a picture of each curve that was measured into a folder.
func (c *curves) draw(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	for _, p := range c.pictures() {
		if len(p.points) == 0 {
			continue
		}
		if err := p.draw(filepath.Join(folder, p.name+".svg")); err != nil {
			return fmt.Errorf("drawing %s: %w", p.name, err)
		}
	}
	return nil
}

func (p *picture) draw(file string) error {
	line, err := plotter.NewLine(xys(p.points))
	if err != nil {
		return err
	}
	line.Width, line.Color = vg.Points(1.5), color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.title, p.x, p.y
	for _, style := range []*font.Font{
		&out.Title.TextStyle.Font, &out.X.Label.TextStyle.Font, &out.Y.Label.TextStyle.Font, &out.X.Tick.Label.Font, &out.Y.Tick.Label.Font,
	} {
		style.Variant = "Sans"
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 0xe0}, color.Gray{Y: 0xe0}
	out.Add(grid, line)
	out.X.Min, out.Y.Min = 0, 0 // adding a curve has moved them
	return out.Save(pictureWidth, pictureHeight, file)
}

// xys thins out a curve, and keeps its end.
func xys(points []point) plotter.XYs {
	step := max(1, len(points)/enough)
	var out plotter.XYs
	for i := 0; i < len(points); i += step {
		out = append(out, plotter.XY{X: points[i].x, Y: points[i].y})
	}
	last := points[len(points)-1]
	return append(out, plotter.XY{X: last.x, Y: last.y})
}
